/**
 * Named places where a test may kill the process or make a step fail: `TRIBUTARY_FAULT=<name>[:count]` read by the
 * composition root, which installs a handler. Without one, a point costs a single comparison.
 */
let handler: ((point: string, about: readonly string[]) => void) | undefined

/** Installs (or with undefined removes) the handler that every `faultPoint` of this thread calls. */
export const setFaultHandler = (next: typeof handler): void => {
  handler = next
}

/** Marks a place where a crash must be survivable; `about` says what is worked on there. */
export const faultPoint = (name: string, ...about: readonly string[]): void => {
  if (handler !== undefined) handler(name, about)
}
