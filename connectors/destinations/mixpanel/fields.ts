/** The fields that every action has: user, time, and ID of the event. */
export const commonFields = {
  user_id: {
    label: 'User ID',
    help: 'The user. Events of a device and of its user become one person.',
    type: 'string',
    recommended: true,
    kind: 'identity',
  },
  anonymous_id: {
    label: 'Anonymous ID',
    help: 'The device or browser.',
    type: 'string',
    recommended: true,
    kind: 'identity',
  },
  message_id: {
    label: 'Message ID',
    help: 'Mixpanel counts an event with the same ID once.',
    type: 'string',
    required: true,
    recommended: true,
    kind: 'event',
  },
  time: {
    label: 'Time',
    help: 'When it happened. Mixpanel refuses times before 1971 or more than one hour ahead.',
    type: 'datetime',
    required: true,
    recommended: true,
    kind: 'event',
  },
} as const
