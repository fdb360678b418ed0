import { answerObject, isJsonObject, type PeopleListFact, RetryableError } from '@tributary/connector-kit'
import { ask, failureOf } from '../../wire/meta/graph.ts'
import type { Context } from './send-people.ts'

type Audience = Readonly<Record<string, unknown>>

/**
 * Returns the size of an audience as a text; undefined if Meta has none. The bounds are -1 while the audience has too
 * few people, or is being created ("Custom Audience").
 */
export const sizeOf = (audience: Audience): string | undefined => {
  const [least, most] = [audience['approximate_count_lower_bound'], audience['approximate_count_upper_bound']]
  if (typeof least !== 'number' || typeof most !== 'number' || least < 0) return undefined
  return `${least.toLocaleString('en-US')} to ${most.toLocaleString('en-US')}`
}

const wordsOf = (status: unknown): unknown => (isJsonObject(status) ? status['description'] : undefined)

/** Reads the size and the state of a Custom Audience. Throws ConfigurationError if there is none with this ID. */
export const audienceFacts = async (context: Context, id: string): Promise<PeopleListFact[]> => {
  const bounds = 'approximate_count_lower_bound,approximate_count_upper_bound'
  const call = await ask(context, 'GET', `${id}?fields=name,${bounds},operation_status,delivery_status`)
  const failure = failureOf(call, context.clock(), 'Custom Audience')
  const audience = answerObject(call)
  if (failure !== undefined || audience === undefined)
    throw new RetryableError(failure?.reason ?? 'Meta’s response is not JSON', { exchange: call.exchange() })
  const facts = [
    { title: 'Custom Audience', value: audience['name'] },
    { title: 'Matched people', value: sizeOf(audience) ?? 'Not known yet' },
    { title: 'Status at Meta', value: wordsOf(audience['operation_status']) },
    { title: 'Use in ads', value: wordsOf(audience['delivery_status']) },
  ]
  return facts.flatMap(({ title, value }) => (typeof value === 'string' && value !== '' ? [{ title, value }] : []))
}
