"""``shoal completion``: scripts that let a shell complete commands, options, and names of models and algorithms."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from shoal.cli.help import GroupedCommand

SHELLS = ("bash", "zsh", "fish")


@click.command(cls=GroupedCommand)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Print the script that completes commands in your shell.

    It completes commands, options, files, and the names of models and algorithms. Run one of these, then open a new
    terminal:

    \b
    shoal completion bash >> ~/.bashrc
    shoal completion zsh >> ~/.zshrc
    shoal completion fish > ~/.config/fish/completions/shoal.fish
    """
    made = get_completion_class(shell)
    assert made is not None  # click knows these shells
    script = made(context.find_root().command, {}, "shoal", "_SHOAL_COMPLETE")
    click.echo(script.source_template % script.source_vars())  # source() would first run bash to ask for its version
