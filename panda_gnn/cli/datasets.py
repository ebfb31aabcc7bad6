"""``panda datasets``: the names of all datasets, one line each."""

from functools import partial

from panda_gnn.cli.names import add_list_arguments, print_names

add_arguments = add_list_arguments
run = partial(print_names, "datasets")
