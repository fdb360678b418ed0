import {
  ConfigurationError,
  cutText,
  DeliveryError,
  hideSecrets,
  networkError,
  RetryableError,
} from '@tributary/connector-kit'
import ssh2 from 'ssh2'

const { STATUS_CODE: status } = ssh2.utils.sftp

/** Statuses of the protocol that a user has to mend (draft-ietf-secsh-filexfer-02, 7). Disks can be full only for a while. */
const setUp: ReadonlySet<unknown> = new Set([status.NO_SUCH_FILE, status.PERMISSION_DENIED, status.OP_UNSUPPORTED])

/** Stages of a connection in which the client reports that both sides do not match, or that the user is refused. */
const setUpLevels: ReadonlySet<unknown> = new Set(['client-authentication', 'handshake', 'protocol'])

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Whether the server answers with a status of the protocol. */
export const isAnswer = (error: unknown): boolean => typeof codeOf(error) === 'number'

/** Whether a file, or the folder for it, does not exist. */
export const isMissing = (error: unknown): boolean => codeOf(error) === status.NO_SUCH_FILE

/** Whether the server lacks an extension of the protocol. */
export const isUnsupported = (error: unknown): boolean =>
  codeOf(error) === status.OP_UNSUPPORTED || (error instanceof Error && /does not support this/.test(error.message))

/**
 * Converts an error of the client, the server, or the network to a DeliveryError. A server can repeat the secrets that
 * it got, so they are hidden, and errors with its words are no cause.
 */
export const deliveryError = (error: unknown, secrets: readonly string[]): DeliveryError => {
  if (error instanceof DeliveryError) return error
  const message = error instanceof Error ? cutText(hideSecrets(error.message, secrets), 300) : ''
  const level = error instanceof Error && 'level' in error ? error.level : undefined
  if (level === 'client-authentication')
    return new ConfigurationError('The server refuses the user, the password, or the key')
  if (setUpLevels.has(level)) return new ConfigurationError(`The server and Tributary do not match: ${message}`)
  const code = codeOf(error)
  if (typeof code === 'number')
    return setUp.has(code)
      ? new ConfigurationError(`The server answers: ${message}`)
      : new RetryableError(`The server answers: ${message}`)
  if (typeof code === 'string') {
    const failure = networkError(error)
    return failure instanceof DeliveryError ? failure : new RetryableError(failure.message)
  }
  return new RetryableError(`The connection failed: ${message}`)
}
