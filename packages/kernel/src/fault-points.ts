/**
 * Named places where a test may kill the process or make a step fail. The composition root reads
 * `TRIBUTARY_FAULT=<name>[:count]` and installs a handler. Without a handler, a fault point costs a single comparison.
 */
let handler: ((point: string, about: readonly string[]) => void) | undefined

/** Sets the handler that every `faultPoint` of this thread calls; undefined removes it. */
export const setFaultHandler = (next: typeof handler): void => {
  handler = next
}

/** Marks a place where a crash must be survivable; `about` names the item being processed. */
export const faultPoint = (name: string, ...about: readonly string[]): void => {
  if (handler !== undefined) handler(name, about)
}
