import { setting } from '@tributary/connector-kit'

/** What holds for events that say nothing of consent; asked of every platform alike. */
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
