#compdef cvm-quota-monitor
# Completion of cvm-quota-monitor for zsh: a file of `$fpath`, or one that is sourced after `compinit`.
_cvm-quota-monitor() {
  local command=${${words[2,CURRENT-1]:#-*}[1]} flag=$words[CURRENT-1] point word description
  local -a names flags values
  if compset -P '--*='; then flag=${IPREFIX%=}; fi
  while IFS='|' read -r point word description; do
    case $point in
      "$command $flag") values+=("$word") ;;
      "$command") if [[ $word == -* ]]; then flags+=("$word:$description"); else names+=("$word:$description"); fi ;;
    esac
  done <<'END'
@completions@
END
  local -a plain=(${flags:#*=:*}) valued=(${(M)flags:#*=:*})
  if [[ $values[1] == '<path>' ]]; then _files; return; fi
  if (( $#values )); then compadd -- ${values:#}; return; fi
  _describe command names
  if (( ! $#names )) || [[ $PREFIX == -* ]]; then _describe flag plain -- valued -S ''; fi
}
if [[ $funcstack[1] == _cvm-quota-monitor ]]; then _cvm-quota-monitor "$@"; else compdef _cvm-quota-monitor cvm-quota-monitor; fi
