import type { DescribedCredential } from '../format/schema-settings.ts'

/** Returns the names of the settings of a credential. */
export const settingsOfCredential = (credential: DescribedCredential): string[] => {
  switch (credential.in) {
    case 'basic':
      return [credential.user, credential.password].flatMap((part) => ('setting' in part ? [part.setting] : []))
    case 'client_credentials':
    case 'grant':
      return [credential.client_id, credential.client_secret]
    default:
      return [credential.setting]
  }
}

/** Returns the names of the servers that exchange a credential for a token. */
export const tokenServersOf = (credential: DescribedCredential): string[] => {
  if (credential.in === 'client_credentials') return [credential.server]
  return credential.in === 'grant' ? [credential.authorize_server, credential.token_server] : []
}
