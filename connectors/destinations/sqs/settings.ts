import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { awsDomain, awsEndpoint, awsProblems, awsSettings } from '../../wire/aws/settings.ts'

export const settings = defineSettings({
  queue_url: setting.text({
    label: 'Queue URL',
    help: 'From the page of the queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/events.',
    required: true,
    maxLength: 500,
  }),
  ...awsSettings({ permission: 'sqs:SendMessage' }),
  endpoint: awsEndpoint,
})

export type SqsSettings = SettingsOf<typeof settings>

/** Whether the queue is a FIFO queue, whose name ends so (CreateQueue, "QueueName"). */
export const isFifo = ({ queue_url: url }: Pick<SqsSettings, 'queue_url'>): boolean => url.endsWith('.fifo')

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<SqsSettings>): Record<string, string> => {
  const problems = awsProblems(given)
  const { queue_url: url, region = '', endpoint } = given
  if (url === undefined) return problems
  // The name of a queue has up to 80 letters, digits, hyphens, and underscores (CreateQueue).
  const [, host, queueRegion] =
    /^https?:\/\/(sqs\.([a-z0-9-]+)\.[a-z.]+|[^/?#@]+)\/(?:[^?#]+\/)?[\w-]{1,80}(?:\.fifo)?$/.exec(url) ?? []
  if (host === undefined) problems.queue_url = 'Enter the URL of a queue, as its page shows it'
  else if (endpoint === undefined && host !== `sqs.${region}.${awsDomain(region)}`)
    problems.queue_url =
      queueRegion === undefined
        ? 'Enter the URL of a queue on AWS'
        : `The queue is in ${queueRegion}, not in the region`
  return problems
}
