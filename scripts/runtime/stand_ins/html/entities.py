"""The references that our renderers write, of the two thousand that HTML knows."""

html5 = {"amp;": "&", "lt;": "<", "gt;": ">", "quot;": '"', "nbsp;": "\xa0"}
