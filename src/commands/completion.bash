# Completion of cvm-quota-monitor for bash 3.2 or newer, without the package bash-completion.
_cvm_quota_monitor() {
  local current=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' point word description
  local names=() flags=() values=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  # Bash makes three words of `--flag=value`.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $flag == '=' ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  while IFS='|' read -r point word description; do
    case $point in
      "$command $flag") values+=("$word") ;;
      "$command") if [[ $word == -* ]]; then flags+=("$word:$description"); else names+=("$word:$description"); fi ;;
    esac
  done <<'END'
@completions@
END
  if [[ $current == -* || ${#names[@]} == 0 ]]; then names+=("${flags[@]}"); fi
  if [[ ${#values[@]} != 0 ]]; then names=("${values[@]}"); fi
  local candidates=(-W "${names[*]%%:*}")
  if [[ ${values[0]} == '<path>' ]]; then
    candidates=(-f)
    compopt -o filenames 2>/dev/null
  fi
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen "${candidates[@]}" -- "$current")
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _cvm_quota_monitor cvm-quota-monitor
