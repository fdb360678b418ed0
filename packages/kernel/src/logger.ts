/** A structured log; the sink redacts secrets. Fields never contain credentials, keys or event bodies. */
export type Logger = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A logger that writes nothing, for tests and tools. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
