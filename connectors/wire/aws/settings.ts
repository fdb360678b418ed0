import { setting } from '@tributary/connector-kit'

/** The settings for access to a service of AWS. `permission` is the action of IAM that the user needs. */
export const awsSettings = ({ permission }: { permission: string }) => ({
  region: setting.text({
    label: 'Region',
    help: 'The region, such as eu-central-1.',
    required: true,
    default: 'us-east-1',
    maxLength: 63,
  }),
  access_key_id: setting.text({
    label: 'Access key ID',
    help: `From a user of IAM with the permission ${permission}.`,
    required: true,
    maxLength: 128,
  }),
  secret_access_key: setting.secret({
    label: 'Secret access key',
    help: 'Stored encrypted.',
    required: true,
    maxLength: 255,
    sentTo: [{ setting: 'endpoint', by: 'origin' }],
  }),
})

/** The setting for the address of a compatible service other than AWS, or of a private endpoint. */
export const awsEndpoint = setting.url({
  label: 'Endpoint',
  help: 'Leave empty for AWS. Otherwise, the URL of a private endpoint or of a compatible service such as LocalStack.',
})

/** The data for access to a service of AWS. */
export type AwsAccess = {
  readonly region: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly endpoint?: string | undefined
}

/** Checks rules that the field types do not include. The region is part of the host, so only its form is accepted. */
export const awsProblems = ({
  region = '',
  endpoint,
}: Partial<Pick<AwsAccess, 'region' | 'endpoint'>>): Record<string, string> => {
  const problems: Record<string, string> = {}
  if (!/^[a-z]{2,3}(-[a-z]{2,12}){1,3}-\d{1,2}$/.test(region)) problems.region = 'Enter a region such as eu-central-1'
  if (endpoint !== undefined && new URL(endpoint).search !== '') problems.endpoint = 'Enter a URL without a query'
  return problems
}

/** Returns the end of all host names in a region. */
export const awsDomain = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com')
