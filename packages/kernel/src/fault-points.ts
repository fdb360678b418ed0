/**
 * The handler of named fault points, at which a test can kill the process or make a step fail. The composition root
 * reads `TRIBUTARY_FAULT=<name>[:count]` and installs the handler. Without a handler, a fault point costs a single
 * comparison.
 */
let handler: ((point: string, about: readonly string[]) => void) | undefined

/** Sets the handler that every `faultPoint` of this thread calls; undefined removes it. */
export const setFaultHandler = (next: typeof handler): void => {
  handler = next
}

/** Marks a position in the code at which the product must survive a crash; `about` names the item being processed. */
export const faultPoint = (name: string, ...about: readonly string[]): void => {
  if (handler !== undefined) handler(name, about)
}
