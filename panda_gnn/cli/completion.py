"""``panda completion``: what makes a shell complete commands, options and names."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping

from panda_gnn.cli.names import OPTIONS, known_names
from panda_gnn.errors import choose

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "shell",
        metavar="SHELL",
        help="bash, zsh or fish: add 'source <(panda completion bash)' to ~/.bashrc, the same with "
        "zsh to ~/.zshrc, or write it to ~/.config/fish/completions/panda.fish",
    )


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    shell = choose("shell", options.shell, SHELLS)
    print(fish_script() if shell == "fish" else bash_script(zsh=shell == "zsh"), end="")


def options_of_commands() -> dict[str, list[str]]:
    """The options of every command."""
    from panda_gnn.cli import COMMANDS

    found: dict[str, list[str]] = {}
    for command in COMMANDS:
        parser = argparse.ArgumentParser()
        importlib.import_module(f"panda_gnn.cli.{command}").add_arguments(parser)
        found[command] = sorted(option for option in _options(parser) if option.startswith("--"))
    return found


def _options(parser: argparse.ArgumentParser) -> set[str]:
    options = set()
    for action in parser._actions:
        options |= set(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                options |= _options(below)
    return options


#: The options of a single command that take names.
OF_COMMANDS = {
    ("rewire", "--method"): "rewirings",
    ("table", "--format"): "formats",
    ("search", "--sampler"): "samplers",
    ("diagnose", "--model"): "models",
}


def names_of_options() -> Mapping[tuple[str, str], list[str]]:
    """The names that options take, by command and option; those of all commands are of ``*``."""
    names = known_names()
    kinds = OF_COMMANDS | {("*", option): kind for option, kind in OPTIONS.items()}
    return {place: list(names[kind]) for place, kind in kinds.items()}


def bash_script(zsh: bool = False) -> str:
    """For bash, and for zsh in the manner of bash."""
    options = options_of_commands()
    of_options = "\n".join(
        f'    {command}\' {option}\') COMPREPLY=($(compgen -W "{" ".join(names)}" -- "$word")); '
        "return ;;"
        for (command, option), names in names_of_options().items()
    )
    of_commands = "\n".join(
        f'    {command}) words="{" ".join(listed)}" ;;' for command, listed in options.items()
    )
    head = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{head}_panda() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$word")); return
  fi
  case "${{COMP_WORDS[1]}} $before" in
{of_options}
  esac
  case "${{COMP_WORDS[1]}}" in
{of_commands}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _panda panda
"""


def fish_script() -> str:
    """For fish."""
    from panda_gnn.cli import COMMANDS

    names = names_of_options()
    lines = [
        f"complete -c panda -n __fish_use_subcommand -f -a {command} -d '{summary}'"
        for command, summary in COMMANDS.items()
    ]
    for command, options in options_of_commands().items():
        for option in options:
            listed = names.get((command, option), names.get(("*", option)))
            values = "" if listed is None else f" -xa '{' '.join(listed)}'"
            lines.append(
                f"complete -c panda -n '__fish_seen_subcommand_from {command}' "
                f"-l {option.removeprefix('--')}{values}"
            )
    return "\n".join(lines) + "\n"
