#include "cli/completion/completion_scripts.hpp"

namespace warpmark {

// Bash cuts the words of a line at `=` and `:`, too, and replaces only what is behind the last cut.
const char* const kBashCompletion =
    R"SCRIPT(# Completion of warpmark for bash: eval "$(warpmark completion bash)"
_warpmark() {
  local line=${COMP_LINE:0:COMP_POINT} word cut='' head char candidate
  word=${line##*[[:space:]]}
  for char in = :; do
    [[ $COMP_WORDBREAKS == *"$char"* && $word == *"$char"* ]] || continue
    head=${word%"${word##*"$char"}"}
    (( ${#head} > ${#cut} )) && cut=$head
  done
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate#"$cut"}
    [[ $candidate == *[!A-Za-z0-9_./=,:~+-]* ]] && printf -v candidate %q "$candidate"
    COMPREPLY+=("$candidate")
  done < <("${COMP_WORDS[0]}" complete -- "$line" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _warpmark warpmark
)SCRIPT";

const char* const kZshCompletion = R"SCRIPT(#compdef warpmark
# Completion of warpmark for zsh: as a file _warpmark in a folder of $fpath, or
# eval "$(warpmark completion zsh)" after compinit.
_warpmark() {
  local -a candidates open whole
  candidates=("${(@f)$("${words[1]}" complete -- "$LBUFFER" 2>/dev/null)}")
  candidates=(${candidates:#})
  open=(${(M)candidates:#*[=/]})
  whole=(${candidates:#*[=/]})
  (( $#open )) && compadd -S '' -- $open
  (( $#whole )) && compadd -- $whole
  (( $#candidates ))
}
if [[ ${funcstack[1]:-} == _warpmark ]]; then
  _warpmark "$@"
else
  compdef _warpmark warpmark
fi
)SCRIPT";

const char* const kFishCompletion =
    R"SCRIPT(# Completion of warpmark for fish: warpmark completion fish | source
function __warpmark_complete
  set -l program (commandline -opc)[1]
  $program complete -- (commandline -cp) 2>/dev/null
end
complete -c warpmark -f -a '(__warpmark_complete)'
)SCRIPT";

}  // namespace warpmark
