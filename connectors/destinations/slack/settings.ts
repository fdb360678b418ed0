import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

const name = (label: string) =>
  setting.text({
    label,
    help: 'A name of your choice, such as `alerts`. A mapping names it to post with this webhook.',
    maxLength: 80,
  })

const secretUrl = (label: string) =>
  setting.secret({
    label,
    help: 'The incoming webhook URL of another channel. Stored encrypted.',
    maxLength: 500,
    sentTo: [],
  })

export const settings = defineSettings({
  webhook_url: setting.secret({
    label: 'Webhook URL',
    help: 'The incoming webhook URL. Stored encrypted.',
    required: true,
    maxLength: 500,
    sentTo: [],
  }),
  allow_links: setting.toggle({
    label: 'Links and mentions',
    help: 'On: links such as `<https://example.com|text>` and mentions such as `<!channel>` work, including those in event values. Off: they show as plain text.',
    default: false,
  }),
  webhook_2_name: name('Name of webhook 2'),
  webhook_2_url: secretUrl('URL of webhook 2'),
  webhook_3_name: name('Name of webhook 3'),
  webhook_3_url: secretUrl('URL of webhook 3'),
  webhook_4_name: name('Name of webhook 4'),
  webhook_4_url: secretUrl('URL of webhook 4'),
  webhook_5_name: name('Name of webhook 5'),
  webhook_5_url: secretUrl('URL of webhook 5'),
  webhook_6_name: name('Name of webhook 6'),
  webhook_6_url: secretUrl('URL of webhook 6'),
})

export type SlackSettings = SettingsOf<typeof settings>

/** The numbers of the webhooks that a mapping can name. */
const numbers = [2, 3, 4, 5, 6] as const

/** Returns the form in which names of webhooks are compared: without spaces around it, and in lower case. */
export const nameForm = (text: string): string => text.trim().toLowerCase()

/** Returns the webhooks that a mapping can name: those with a name and a URL, in the order of the settings. */
export const namedWebhooks = (settings: Partial<SlackSettings>): { name: string; url: string }[] =>
  numbers.flatMap((number) => {
    const name = settings[`webhook_${number}_name`]?.trim()
    const url = settings[`webhook_${number}_url`]?.trim()
    return name === undefined || name === '' || url === undefined ? [] : [{ name, url }]
  })

/** Returns a webhook URL with a path; undefined for another text. */
const webhookOf = (given: string | undefined): URL | undefined => {
  const url = given === undefined ? null : URL.parse(given.trim())
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.pathname !== '/'
  return isWeb ? url : undefined
}

const incomplete = 'Enter the full URL that Slack shows, https://hooks.slack.com/services/…'

/**
 * Checks that each URL is the complete one that Slack shows, and that names are different. The further webhooks must
 * have the origin of the first one, so that no message goes elsewhere. A name without a URL, or a URL without a name, is
 * no error, because users save settings one by one.
 */
export const check = (given: Partial<SlackSettings>): Record<string, string> => {
  const errors: Record<string, string> = {}
  const first = webhookOf(given.webhook_url)
  if (first === undefined) errors['webhook_url'] = incomplete
  const taken = new Set<string>()
  for (const number of numbers) {
    const name = nameForm(given[`webhook_${number}_name`] ?? '')
    if (name !== '' && taken.has(name)) errors[`webhook_${number}_name`] = 'Another webhook has this name'
    taken.add(name)
    const url = given[`webhook_${number}_url`]
    if (url === undefined) continue
    const webhook = webhookOf(url)
    if (webhook === undefined) errors[`webhook_${number}_url`] = incomplete
    else if (first !== undefined && webhook.origin !== first.origin)
      errors[`webhook_${number}_url`] = `Enter a URL that starts with ${first.origin}`
  }
  return errors
}
