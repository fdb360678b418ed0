import { setFaultHandler } from '@tributary/kernel'

/**
 * Installs the fault of `TRIBUTARY_FAULT` in this thread: `<point>[:<count>]` kills the whole process, without any
 * clean-up, at the count-th time that the named point is passed.
 */
export const installFault = (fault: string | undefined): void => {
  if (fault === undefined) return
  const [point, count = '1'] = fault.split(':')
  let left = Number(count)
  setFaultHandler((name) => {
    if (name !== point) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  })
}
