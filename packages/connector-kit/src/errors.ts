import type { Exchange } from './definition/definition.ts'

/**
 * Thrown by a connector instead of outcomes per event; the class decides the outcome of every event of the batch. Any
 * other error is a fault of the connector: it is logged, and the events are retried as after a RetryableError.
 */
export abstract class DeliveryError extends Error {
  /** The request and response that may be shown, if there were any. */
  readonly exchange: Exchange | undefined

  constructor(message: string, exchange?: Exchange, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.exchange = exchange
  }

  /** Returns the same error, of the same class, with its request and response. */
  abstract withExchange(exchange: Exchange): DeliveryError
}

/**
 * The destination cannot accept the events now. They are retried, after `retryAfterMs` if the destination named a time.
 */
export class RetryableError extends DeliveryError {
  override readonly name = 'RetryableError'
  /** The wait in ms that the destination requested. */
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

/** The destination understood the request and rejects it. The events are not retried and become dead letters. */
export class RejectedError extends DeliveryError {
  override readonly name = 'RejectedError'

  override withExchange(exchange: Exchange): RejectedError {
    return new RejectedError(this.message, exchange, this)
  }
}

/**
 * The destination cannot work with its current set-up (a blocked address, a missing credential). Events are held and
 * retried, because a user can fix the set-up.
 */
export class ConfigurationError extends DeliveryError {
  override readonly name: string = 'ConfigurationError'

  override withExchange(exchange: Exchange): ConfigurationError {
    return new ConfigurationError(this.message, exchange, this)
  }
}

/** The address of the request, or an address to which its name resolves, is blocked for destinations. */
export class EgressRefusedError extends ConfigurationError {
  override readonly name = 'EgressRefusedError'

  override withExchange(exchange: Exchange): EgressRefusedError {
    return new EgressRefusedError(this.message, exchange, this)
  }
}
