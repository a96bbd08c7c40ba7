"""A language server for editors.

(Microsoft: "Language Server Protocol", version 3.17.) One idea a file: `protocol` has the messages,
`documents` the texts as the editor has them, `analysis` and `symbols` what a text says, `asking`
the check of a property, `features` and `findings` what the editor is told of them, `reading` and
`checks` when what is done, `server` who is answered.

Texts are read and properties checked in processes of their own (`children`, `child`), so that no
text can make the server wait or end.
"""
