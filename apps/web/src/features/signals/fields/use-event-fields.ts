import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type EventField, withCommonFields } from '../../../lib/events/event-fields.ts'
import { suggestionsQuery } from '../../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import type { SignalDraft } from '../draft.ts'

const property = (name: string, display_name = ''): EventField => ({
  name: `properties.${name}`,
  display_name: display_name === '' ? name : display_name,
  kind: 'property',
  type: 'string',
  example: '',
})

/** Properties of the commerce schema that conversions usually use. */
const usual: readonly EventField[] = [
  property('order_id', 'Order ID'),
  property('total', 'Total'),
  property('revenue', 'Revenue'),
  property('value', 'Value'),
  property('price', 'Price'),
  property('currency', 'Currency'),
  property('email', 'Email'),
  property('phone', 'Phone'),
]

/** Names of received events, loaded when they are needed. */
export const useEventNames = (asked: boolean): readonly string[] => {
  const workspace = useWorkspace().name
  const { data } = useQuery({ ...suggestionsQuery(workspace, { kind: 'event' }), enabled: asked })
  return useMemo(() => data?.map(({ text }) => text) ?? [], [data])
}

/** The paths in the events of a draft: received properties of its first event, then common ones. */
export const useEventFields = ({ events }: Pick<SignalDraft, 'events'>): readonly EventField[] => {
  const workspace = useWorkspace().name
  const event = events[0]?.event_name.trim() ?? ''
  const { data } = useQuery({
    ...suggestionsQuery(workspace, { kind: 'property', event }),
    enabled: event !== '',
  })
  return useMemo(() => {
    const received = (data ?? []).map(({ text }) => property(text))
    const names = new Set(received.map(({ name }) => name))
    return withCommonFields([...received, ...usual.filter(({ name }) => !names.has(name))])
  }, [data])
}
