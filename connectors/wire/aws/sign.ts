import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsAccess } from './settings.ts'

/** A request to a service of AWS with a body. */
type AwsRequest = { url: string; headers: Readonly<Record<string, string>>; body: string }

/**
 * Signs a POST request by AWS Signature Version 4, with the hash of its body; `now` is epoch ms. Returns its headers
 * without `host`, which the client sets itself.
 */
export const signAws = async (
  access: Pick<AwsAccess, 'region' | 'access_key_id' | 'secret_access_key'>,
  service: string,
  { url, headers: given, body }: AwsRequest,
  now: number,
): Promise<Record<string, string>> => {
  const { protocol, hostname, port, host, pathname } = new URL(url)
  const request = new HttpRequest({
    method: 'POST',
    protocol,
    hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    path: pathname,
    headers: { host, ...given },
    body,
  })
  const signer = new SignatureV4({
    service,
    region: access.region,
    credentials: { accessKeyId: access.access_key_id.trim(), secretAccessKey: access.secret_access_key.trim() },
    sha256: Sha256,
  })
  const { headers } = await signer.sign(request, { signingDate: new Date(now) })
  const { host: _host, ...rest } = headers
  return rest
}
