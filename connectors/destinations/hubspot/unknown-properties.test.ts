import { outgoingEvent, type PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { sendTo } from '../../wire/conversions/testing-presets.ts'
import { hubspot } from './definition.ts'
import { answerOf, createHubspot, token } from './testing-hubspot.ts'

const contacts = Array.from({ length: 16 }, (_, at) =>
  outgoingEvent(
    { messageId: `m-${at}`, type: 'identify' },
    {
      action: 'upsert_contact',
      payload: { email: `c${at}@example.com`, lastname: 'x', ...(at % 2 === 0 ? { shoe_size: '43' } : {}) },
    },
  ),
)

const result = {
  isValid: false,
  message: 'Property "shoe_size" does not exist',
  error: 'PROPERTY_DOESNT_EXIST',
  name: 'shoe_size',
}
const refusal = { status: 'error', category: 'VALIDATION_ERROR' }
const inMessage = { ...refusal, message: `Property values were not valid: ${JSON.stringify([result])}` }
// hubspot-net/HubSpot.NET, issue 50.
const inList = { ...refusal, message: 'Property values were not valid', validationResults: [result] }

/** Sends contacts to a HubSpot that refuses each request with an unknown property; returns the creations, and the outcomes. */
const send = async (error: object, isRefused = (body: string) => body.includes('shoe_size')) => {
  const { answer } = createHubspot()
  const refusing = (request: VendorRequest): PeerAnswer =>
    request.path.endsWith('/create') && isRefused(JSON.stringify(request.body)) ? answerOf(400, error) : answer(request)
  const peer = { definition: hubspot, origin: 'https://api.hubapi.com', settings: { access_token: token } }
  const { asked, outcomes } = await sendTo({ ...peer, answer: refusing }, contacts)
  return { outcomes, creations: asked.filter(({ path }) => path.endsWith('/create')).length }
}

describe('a property that HubSpot does not have', () => {
  it.each([
    ['in the message', inMessage],
    ['in a list', inList],
  ])('%s rejects the contacts that have it at once, and the others are created', async (_, error) => {
    const { outcomes, creations } = await send(error)
    expect(creations).toBe(2)
    const rejected = { kind: 'rejected', reason: expect.stringContaining('Property values were not valid') }
    expect(outcomes).toEqual(contacts.map((_contact, at) => (at % 2 === 0 ? rejected : { kind: 'delivered' })))
  })

  it.each([
    [
      'another fault, which one value can have',
      { ...inMessage, message: inMessage.message.replace('PROPERTY_DOESNT_EXIST', 'INVALID_OPTION') },
    ],
    ['a property that no contact has', { ...inMessage, message: inMessage.message.replaceAll('shoe_size', 'hat') }],
    ['a message that is no list', { ...refusal, message: 'Property [shoe_size] PROPERTY_DOESNT_EXIST' }],
  ])('is not assumed for %s: each faulty contact is found', async (_, error) => {
    const { outcomes, creations } = await send(error, (body) => body.includes('c4@example.com'))
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      contacts.map((_contact, at) => (at === 4 ? 'rejected' : 'delivered')),
    )
    expect(creations).toBe(9)
  })
})
