import type { Context } from '../../context.js';

/** The scripts only hand the words over to `mailvet complete`, and show what it prints. The line `files:` asks for file names. */
const scripts = {
  bash: `_mailvet() {
  local line file IFS=$'\\n'
  COMPREPLY=()
  while read -r line; do
    if [[ $line != files: ]]; then COMPREPLY+=("\${line%%$'\\t'*}"); continue; fi
    for file in $(compgen -f -- "\${COMP_WORDS[COMP_CWORD]#=}"); do
      # Hidden files only if their dot is typed.
      [[ \${file##*/} == .* && \${COMP_WORDS[COMP_CWORD]##*/} != .* ]] || COMPREPLY+=("$file")
    done
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _mailvet mailvet
`,
  zsh: `#compdef mailvet
_mailvet() {
  local line; local -a found
  for line in "\${(@f)$(\${words[1]} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == files: ]]; then _files
    elif [[ -n $line ]]; then found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); fi
  done
  (( $#found )) && _describe mailvet found
}
if [[ $funcstack[1] == _mailvet ]]; then _mailvet "$@"
else (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }; compdef _mailvet mailvet; fi
`,
  fish: `function __mailvet
  for line in (mailvet complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if test "$line" = files:
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c mailvet -f -a '(__mailvet)'
`,
};

/** The shells that have a completion script. */
export type Shell = keyof typeof scripts;

/** Prints the completion script of a shell. */
export async function runCompletion(context: Context, shell: Shell): Promise<number> {
  await context.terminal.stdout.write(scripts[shell]);
  return 0;
}
