#!/bin/sh
# In the place of fpcalc: does what the file tells it to, as a real one would only with a fault of its own.

fine=AQADtEokySmT4PCJF8_DIPk25GEPn_izCBd
file=$(cat)
case "$file" in
  *hang*) echo $$ >"${file##*hang }"; exec tail -f /dev/null ;;
  *rubbish*) echo "${file##*rubbish }" ;;
  *flood*) printf AQA; head -c 8000000 /dev/zero | tr '\0' A; echo ;;
  *fail*) echo $fine; exit 2 ;;
  *crash*) echo $fine; kill -SEGV $$ ;;
  *partly*) echo $fine; exit 3 ;;
  *limited*) [ "$(ulimit -d)" = unlimited ] || [ "$(ulimit -t)" = unlimited ] || echo $fine ;;
  # The shell itself adds some names to its environment.
  *ignorant*) env | grep -qvE '^(PWD|OLDPWD|SHLVL|_)=' || echo $fine ;;
  *) echo $fine ;;
esac
