"""The documentation site: the documents of the repository and pages made from the code, built by Sphinx (`make docs`).

    python -m tests.guide.site [OUTPUT]        stages the pages beside OUTPUT (.build/docs) and builds them, warnings as errors

The documents are written to be read in the repository. `staging` copies them, with the links between them changed to what
they are on the site; what is on the site only is `generated`: it is written by no one and kept nowhere. The order of pages
is that of docs/README.md, which is the first page.
"""
