/** A failure for which only the message is printed. */
export class LaunchFailed extends Error {}

/**
 * Shows the progress of a task. A terminal shows one line that is rewritten; other outputs get a line every ten
 * seconds. `text` returns the line for the seconds since the start.
 *
 * @param {{ write(text: string): unknown, isTTY?: boolean }} out
 * @param {(seconds: number) => string} text
 * @returns {(last: string) => void} ends the display with a last line
 */
export const showProgress = (out, text) => {
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1000)
  /** @param {string} line */
  const show = (line) => void out.write(out.isTTY === true ? `\r\u001b[K${line}` : `${line}\n`)
  show(text(0))
  const timer = setInterval(() => show(text(seconds())), out.isTTY === true ? 500 : 10_000)
  timer.unref()
  return (last) => {
    clearInterval(timer)
    show(`${last} (${seconds()} s)`)
    if (out.isTTY === true) out.write('\n')
  }
}
