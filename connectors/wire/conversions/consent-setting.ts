import { setting } from '@tributary/connector-kit'

/** The choice for events without consent data; every platform has it. */
export const withoutConsent = setting.choice({
  label: 'Events without consent',
  help: 'What happens to events that have no value for consent. Otherwise the value decides.',
  required: true,
  default: 'send',
  choices: [
    { value: 'send', label: 'Send them' },
    { value: 'leave_out', label: 'Filter them' },
  ],
})
