import { defineDestination } from '@tributary/connector-kit'
import { storageDefinition } from '../../wire/storage/definition.ts'
import { deliver, deliverRows, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const { steps, parts } = storageDefinition('file')

/** Writes events as files of JSON lines to a server with SFTP. */
export const sftp = defineDestination({
  slug: 'sftp',
  title: 'SFTP',
  description: 'Writes events as compressed JSON lines to files on a server with SFTP.',
  docs: {
    url: 'https://man.openbsd.org/sftp-server',
    steps: [
      {
        title: 'Create a user that can write to a folder',
        text: 'The user signs in with a password or a private key, and may create files and folders, rename files, and remove them. Servers that offer only algorithms with SHA-1 are refused. To reach a server inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      {
        title: 'Enter the fingerprint of the server',
        text: 'Run this command on the server, and enter what begins with SHA256. Or let the connection test show it, and compare it. Before it matches, no password is sent. Several fingerprints are separated by commas.',
        code: 'for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$key"; done',
        language: 'shell',
      },
      {
        title: 'Wait for whole files',
        text: 'A file is written under a name that begins with a dot and ends with .part, and renamed when it is complete. Readers that ignore such names find whole files only. If Tributary stops while it writes, such a file can stay, and you can delete it.',
      },
      ...steps,
    ],
  },
  ...parts,
  settings,
  check,
  testConnection,
  deliver,
  deliverRows,
})
