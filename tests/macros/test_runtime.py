"""What of the browser's scripts is shipped."""

from __future__ import annotations

import subprocess

import pytest

from macros.runtime import WEB, bare

SCRIPT = """// A file.
const a = "// kept"; // kept too
/** A function.
 * of one line
 */
export const b = `
// kept: text
`;
  // gone
"""


def test_comments_on_lines_of_their_own_are_left_out():
    assert bare(SCRIPT) == 'const a = "// kept"; // kept too\nexport const b = `\n// kept: text\n`;\n'


@pytest.mark.parametrize("file", sorted(WEB.glob("*.*js")), ids=lambda file: file.name)
def test_every_script_is_still_one(file, tmp_path):
    out = tmp_path / file.name
    out.write_text(bare(file.read_text(encoding="utf-8")), encoding="utf-8")
    checked = subprocess.run(["node", "--check", str(out)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
