import {
  cutToBytes,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  hideSecrets,
} from '@tributary/connector-kit'

type Address = { user: string; host: string; port: number; database: string; password?: string | undefined }

/** A request to a database: `what` as a sentence, and the text of each event or row. */
export type Asked = { what: string; textOf: (index: number) => string }

/** The address of a database, as users see it. */
export const addressText = ({ user, host, port, database }: Address): string => `${user}@${host}:${port}/${database}`

/** Writes to a database at an address, and adds the request, the response and the duration to the outcomes. */
export const exchange = async (
  { what, textOf }: Asked,
  { onExchange, settings }: Pick<DeliverContext<Pick<Address, 'password'>>, 'onExchange' | 'settings'>,
  address: string,
  write: () => Promise<EventOutcome[]>,
): Promise<DeliverResult> => {
  const started = performance.now()
  /** `index` is the position of the event or row whose text is shown as the request. */
  const exchanged = (index: number, answer: string) => ({
    httpStatus: 0,
    latencyMs: Math.round(performance.now() - started),
    request: cutToBytes(`${what} to ${address}\n\n${textOf(index)}`),
    response: cutToBytes(hideSecrets(answer, [settings.password ?? ''])),
  })
  try {
    const outcomes = await write()
    const at = outcomes.findIndex((outcome) => outcome.kind !== 'delivered' && outcome.kind !== 'skipped')
    const refused = outcomes[at]
    if (refused !== undefined && 'reason' in refused) return { outcomes, ...exchanged(at, refused.reason) }
    const committed = exchanged(0, 'Committed')
    onExchange?.(committed)
    return { outcomes, httpStatus: 0, latencyMs: committed.latencyMs }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    throw error.withExchange(exchanged(0, error.message))
  }
}
