import { spawn } from 'node:child_process'
import { identify } from './processes.ts'

/**
 * A shell script that waits for the end of its input, which comes when the parent has ended for any reason. Then it
 * signals the process, and kills the process if it still runs half a minute later. A process with the same PID and
 * another start time is left alone.
 */
const script = `trap '' INT TERM HUP QUIT
same() { [ "$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20)" = "$2" ]; }
read -r _
same "$1" "$2" && kill -s "$3" "$1"
n=0
while [ $n -lt 30 ] && same "$1" "$2"; do sleep 1; n=$((n+1)); done
same "$1" "$2" && kill -s KILL "$1"
`

/**
 * Ensures that the process `pid` gets `signal` if this process dies without stopping it. Returns a function that ends
 * the guard. Does nothing on systems without /proc or a shell. There, the next start stops the orphan
 * (`ChildSpec.recover`).
 */
export const guardAgainstParentDeath = (pid: number, signal: NodeJS.Signals): (() => void) => {
  const target = identify(pid)
  if (target?.startTime === undefined) return () => {}
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(pid), target.startTime, signal.replace(/^SIG/, '')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  return () => {
    guard.kill('SIGKILL')
  }
}
