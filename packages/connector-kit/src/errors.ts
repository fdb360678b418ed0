import type { Exchange } from './definition/definition.ts'

/**
 * Thrown by a connector in place of outcomes per event; the class decides the outcome of every event of the batch. Any
 * other error is a fault of the connector: logged, and retried like RetryableError.
 */
export abstract class DeliveryError extends Error {
  /** Request and response as they may be shown, when there were any. */
  readonly exchange: Exchange | undefined

  constructor(message: string, exchange?: Exchange, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.exchange = exchange
  }

  /** The same error, of the same class, with what went over the wire. */
  abstract withExchange(exchange: Exchange): DeliveryError
}

/** The destination cannot take it now: tried again, not before `retryAfterMs` when the destination named a time. */
export class RetryableError extends DeliveryError {
  override readonly name = 'RetryableError'
  /** Milliseconds the destination asked to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: { exchange?: Exchange; retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.exchange, options.cause)
    this.retryAfterMs = options.retryAfterMs
  }

  override withExchange(exchange: Exchange): RetryableError {
    const { retryAfterMs } = this
    return new RetryableError(this.message, {
      exchange,
      cause: this,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }
}

/** The destination understood and refuses: never tried again, kept as a dead letter. */
export class RejectedError extends DeliveryError {
  override readonly name = 'RejectedError'

  override withExchange(exchange: Exchange): RejectedError {
    return new RejectedError(this.message, exchange, this)
  }
}

/**
 * The destination cannot work as it is set up (an address that may not be reached, a credential that is gone). Events
 * are held and tried again, since a person can mend it.
 */
export class ConfigurationError extends DeliveryError {
  override readonly name: string = 'ConfigurationError'

  override withExchange(exchange: Exchange): ConfigurationError {
    return new ConfigurationError(this.message, exchange, this)
  }
}

/** The address, or what its name resolves to, is not one that destinations may reach. */
export class EgressRefusedError extends ConfigurationError {
  override readonly name = 'EgressRefusedError'

  override withExchange(exchange: Exchange): EgressRefusedError {
    return new EgressRefusedError(this.message, exchange, this)
  }
}
