import { type DeliverResult, type EventOutcome, failedOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { noteOf } from '../../wire/conversions/left-out.ts'
import { upsertCompany } from './actions/upsert-company.ts'
import { upsertContact } from './actions/upsert-contact.ts'
import { upsertDeal } from './actions/upsert-deal.ts'
import { type Associated, associate, type Pair } from './associate.ts'
import { contactsByEmail, type ObjectType } from './object-type.ts'
import type { Context } from './request.ts'
import { propertiesOf } from './values.ts'
import { type GivenRecord, type Written, writeRecords } from './write-records.ts'

/** Returns the result of written records, with the request to show if one of them was not delivered. */
export const resultOf = ({ outcomes, call, latencyMs }: Omit<Written, 'ids'>): DeliverResult => {
  const httpStatus = call?.answer.status ?? 0
  if (call === undefined || outcomes.every(({ kind }) => kind === 'delivered'))
    return { outcomes, httpStatus, latencyMs }
  return { outcomes, ...call.exchange(), latencyMs }
}

/** Creates or updates a contact for each event, by its email address. */
export const writeContacts = async (events: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const records = events.map((event): GivenRecord => {
    const { email } = upsertContact.payloadOf(event)
    return { operation: 'upsert', key: email, properties: propertiesOf(event.payload ?? {}) }
  })
  return resultOf(await writeRecords(context, contactsByEmail, records))
}

/** The records to associate with written ones: their type, and the key for each event; '' for none. */
type Link = { readonly to: ObjectType; readonly keyOf: (event: OutgoingEvent) => string | undefined }

/** Associates the records of delivered events. If a request fails, its events are retried. */
const linkAll = async (
  events: readonly OutgoingEvent[],
  context: Context,
  from: ObjectType,
  written: Written,
  link: Link,
): Promise<Associated[]> => {
  const pairs = events.flatMap((event, index): Pair[] => {
    const key = link.keyOf(event)?.trim() ?? ''
    const isWritten = written.outcomes[index]?.kind === 'delivered'
    return key === '' || !isWritten ? [] : [{ index, id: written.ids[index], key }]
  })
  if (pairs.length === 0) return []
  try {
    return await associate(context, from, link.to, pairs)
  } catch (error) {
    const outcome = failedOutcome(error)
    return pairs.map(({ index }): Associated => {
      if (outcome.kind === 'retry') return { index, retry: outcome }
      const reason = outcome.kind === 'delivered' ? '' : outcome.reason
      return { index, leftOut: `the association with ${link.to.type}: ${reason}` }
    })
  }
}

/** Writes a record for each event, and associates others with it. A missing association is noted in the delivery. */
const writeLinked = async (
  events: readonly OutgoingEvent[],
  context: Context,
  type: ObjectType,
  records: readonly GivenRecord[],
  links: readonly Link[],
): Promise<DeliverResult> => {
  const written = await writeRecords(context, type, records)
  const outcomes = [...written.outcomes]
  const leftOut = new Map<number, string[]>()
  for (const link of links)
    for (const one of await linkAll(events, context, type, written, link))
      if ('retry' in one) outcomes[one.index] = one.retry
      else leftOut.set(one.index, [...(leftOut.get(one.index) ?? []), one.leftOut])
  const noted = outcomes.map((outcome, index): EventOutcome => {
    const note = noteOf(leftOut.get(index) ?? [])
    return outcome.kind === 'delivered' && note !== undefined ? { kind: 'delivered', note } : outcome
  })
  return resultOf({ ...written, outcomes: noted })
}

const companiesOf = ({ settings: { company_key: key } }: Context): ObjectType => ({
  type: 'companies',
  idProperty: key.trim(),
})

/** Creates or updates a company for each event, and associates its contact. */
export const writeCompanies = (events: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const records = events.map((event): GivenRecord => {
    const { company_id: key, contact_email: _email, ...values } = upsertCompany.payloadOf(event)
    return { operation: 'upsert', key, properties: propertiesOf(values) }
  })
  const contact: Link = {
    to: contactsByEmail,
    keyOf: (event) => upsertCompany.payloadOf(event).contact_email,
  }
  return writeLinked(events, context, companiesOf(context), records, [contact])
}

/** Creates or updates a deal for each event, and associates its contact and its company. */
export const writeDeals = (events: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const records = events.map((event): GivenRecord => {
    const { deal_id: key, contact_email: _email, company_id: _company, ...values } = upsertDeal.payloadOf(event)
    return { operation: 'upsert', key, properties: propertiesOf(values) }
  })
  const type = { type: 'deals', idProperty: context.settings.deal_key.trim() }
  return writeLinked(events, context, type, records, [
    { to: contactsByEmail, keyOf: (event) => upsertDeal.payloadOf(event).contact_email },
    { to: companiesOf(context), keyOf: (event) => upsertDeal.payloadOf(event).company_id },
  ])
}
