import { defineAction, type OutgoingEvent } from '@tributary/connector-kit'
import { commonFields } from '../fields.ts'
import { distinctId } from '../identity.ts'
import type { Made, Operation } from '../operation.ts'
import type { MixpanelSettings } from '../settings.ts'

const { message_id: _message, time: _time, ...person } = commonFields

export const group = defineAction({
  name: 'group',
  title: 'Set group profile',
  description: 'Sets traits on the profile of a group, and adds the group to the profile of the user.',
  customTargets: true,
  eventTypes: ['group'],
  fields: {
    group_id: {
      label: 'Group ID',
      help: 'The company, team, or account.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'identity',
    },
    ...person,
    traits: {
      label: 'Traits',
      help: 'The object of all traits of the group. The trait name becomes $name.',
      type: 'object',
      recommended: true,
      kind: 'trait',
    },
  },
})

/** Returns the records that set the group's profile, and add the group to the groups of its user. */
export const groupOperations = (outgoing: OutgoingEvent, settings: MixpanelSettings): Made => {
  const payload = group.payloadOf(outgoing)
  const { group_id: id, traits = {} } = payload
  const token = settings.project_token.trim()
  const { name, ...others } = { ...traits, ...group.customOf(outgoing) }
  const profile: Operation = {
    endpoint: 'groups',
    body: {
      $token: token,
      $group_key: settings.group_key,
      $group_id: id,
      $set: { ...others, ...(name === undefined ? {} : { $name: name }) },
    },
  }
  const member = distinctId(payload, settings)
  if (member === '') return { operations: [profile] }
  const membership: Operation = {
    endpoint: 'engage',
    body: { $token: token, $distinct_id: member, $union: { [settings.group_key]: [id] } },
  }
  return { operations: [profile, membership] }
}
