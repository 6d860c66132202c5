"""`python -m macros.site build | preview | serve`."""

from __future__ import annotations

import argparse
import sys

from macros.site.paths import LANGUAGES, SITE


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m macros.site", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="all languages into site/, strict")
    build.add_argument("--lang", choices=LANGUAGES, action="append", help="only this language")
    build.add_argument("--force", action="store_true", help="even if nothing changed")
    for name, about in (("serve", "show site/"), ("preview", "one language, rebuilt on every edit; not for publishing")):
        command = commands.add_parser(name, help=about)
        command.add_argument("--port", type=int, default=8000)
        if name == "preview":
            command.add_argument("--lang", choices=LANGUAGES, default="en")
        else:
            command.add_argument("--prefix", default="/", help="path below which the site is shown")
    options = parser.parse_args(argv)
    if options.command == "build":
        from macros.site.build import Failed, build as run

        try:
            run(tuple(options.lang or LANGUAGES), force=options.force)
        except Failed as error:
            print(f"the site was not built: {error}", file=sys.stderr)
            return 1
    elif options.command == "serve":
        from macros.site.serve import serve

        return serve(SITE, options.port, options.prefix)
    else:
        from macros.site.preview import preview

        return preview(options.lang, options.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
