"""The page kinds, one small module each.

A module has `pages(world)`, the pages it makes, and `render(view, id)`, the Markdown of one of them.
"""
