import type { Relational } from '@tributary/storage'
import { eventually } from '@tributary/test-kit'

/** The one-time code of the last mail to an address that holds one. */
export const mailedCode = ({ db }: Relational, recipient: string): Promise<string> =>
  eventually(`a code for ${recipient}`, async () => {
    const mail = await db
      .selectFrom('mails')
      .select('body_text')
      .where('recipient', '=', recipient)
      .orderBy('create_time', 'desc')
      .limit(1)
      .executeTakeFirst()
    return /\b[A-Z0-9]{3}(?:-[A-Z0-9]{3}){3}\b/.exec(mail?.body_text ?? '')?.[0]
  })
