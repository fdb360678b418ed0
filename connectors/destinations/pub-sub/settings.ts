import { defineSettings, isJsonObject, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  topic: setting.text({
    label: 'Topic',
    help: 'The full name, such as projects/your-project/topics/events.',
    required: true,
    maxLength: 400,
  }),
  ordering: setting.toggle({
    label: 'Ordering keys',
    help: 'On: messages of one person have an ordering key, and each person needs a request. Off: faster.',
    default: false,
  }),
  service_account_key: setting.secret({
    label: 'Service account key',
    help: 'The JSON of a key for a service account that can publish to the topic. Stored encrypted.',
    required: true,
    maxLength: 8000,
    sentTo: [],
  }),
})

export type PubSubSettings = SettingsOf<typeof settings>

/** The parts of the JSON of a key that a token needs (AIP-4112). */
export type ServiceAccountKey = { client_email: string; private_key: string; private_key_id: string }

/** Returns the key in a JSON text; undefined for any other text. */
export const keyOf = (text: string): ServiceAccountKey | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return undefined
    const { type, client_email, private_key, private_key_id } = value
    const isKey = typeof client_email === 'string' && typeof private_key === 'string'
    if (type !== 'service_account' || !isKey || typeof private_key_id !== 'string') return undefined
    return { client_email, private_key, private_key_id }
  } catch {
    return undefined
  }
}

/** Checks rules that the setting types do not include. */
export const check = ({ topic, service_account_key: key }: Partial<PubSubSettings>): Record<string, string> => {
  const problems: Record<string, string> = {}
  // "Guidelines to name a topic": 3 to 255 characters that begin with a letter.
  if (topic !== undefined && !/^projects\/[a-z0-9.:-]{4,64}\/topics\/[a-zA-Z][\w.~+%-]{2,254}$/.test(topic))
    problems.topic = 'Enter the full name, such as projects/your-project/topics/events'
  if (key !== undefined && keyOf(key) === undefined)
    problems.service_account_key = 'Paste the whole JSON of a service account key'
  return problems
}
