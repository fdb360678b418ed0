import { expect, expectTypeOf, it } from 'vitest'
import { outgoingEvent } from '../testing/testing.ts'
import { defineAction, type PayloadOf } from './action.ts'

const described = { label: 'Label', help: 'Help', kind: 'custom' } as const
const send = defineAction({
  name: 'send',
  title: 'Send',
  description: 'Sends it.',
  customTargets: true,
  fields: {
    text: { ...described, type: 'string', required: true, recommended: true },
    at: { ...described, type: 'datetime' },
    items: { ...described, type: 'array' },
  },
})

it('the fields of an action are its targets, in the same order', () => {
  expect(send.targets).toEqual([
    { ...described, name: 'text', type: 'string', required: true, recommended: true },
    { ...described, name: 'at', type: 'datetime', required: false, recommended: false },
    { ...described, name: 'items', type: 'array', required: false, recommended: false },
  ])
  expect(send).toMatchObject({ name: 'send', customTargets: true, wholeEvent: false, eventTypes: [] })
})

it('the payload of an action has the types of the fields, and custom fields are separate', () => {
  expectTypeOf<PayloadOf<typeof send>>().toEqualTypeOf<
    { readonly text: string } & { readonly at?: string; readonly items?: readonly unknown[] }
  >()
  const event = outgoingEvent({}, { payload: { text: 'x', plan: 'pro' } })
  expect(send.payloadOf(event).text).toBe('x')
  expect(send.customOf(event)).toEqual({ plan: 'pro' })
})
