import { defineAction } from '@tributary/connector-kit'

export const sendEvent = defineAction({
  name: 'send_event',
  title: 'Send custom event',
  description: 'Adds an occurrence of a custom event to a contact or to another record.',
  customTargets: false,
  eventTypes: ['track', 'page', 'screen'],
  fields: {
    event_name: {
      label: 'Event name',
      help: 'The internal name of a custom event in HubSpot. Without pe and the account ID, they are added, and spaces become underscores.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    email: {
      label: 'Email',
      help: 'The email address of the contact. An event needs this, a user token, or a record ID.',
      type: 'string',
      recommended: true,
      kind: 'identity',
    },
    utk: {
      label: 'User token',
      help: 'The user token of the contact, from the cookie hubspotutk.',
      type: 'string',
      kind: 'identity',
    },
    object_id: {
      label: 'Record ID',
      help: 'The HubSpot ID of the record for which the event occurred.',
      type: 'string',
      kind: 'identity',
    },
    message_id: {
      label: 'Message ID',
      help: 'Becomes the UUID of the occurrence, the same in each attempt.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    time: {
      label: 'Time',
      help: 'When the event occurred.',
      type: 'datetime',
      required: true,
      recommended: true,
      kind: 'event',
    },
    properties: {
      label: 'Properties',
      help: 'The object of the properties of the custom event, by their internal names in HubSpot. Up to 50.',
      type: 'object',
      recommended: true,
      kind: 'property',
    },
  },
})
