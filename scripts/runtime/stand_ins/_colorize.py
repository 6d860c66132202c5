"""No colours: what `traceback` asks for when it formats an error."""


class _Plain(str):
    """The empty string, whatever is asked of it."""

    def __getattr__(self, name):
        return self


def can_colorize(*, file=None):
    """Never."""
    return False


def get_theme(*, tty_file=None, force_color=False, force_no_color=False):
    """A theme whose every part is empty."""
    return _Plain()


def get_colors(colorize=False, *, file=None):
    """The same, for those who ask by colour."""
    return _Plain()


ANSIColors = NoColors = _Plain()
