import { type ConnectionTest, type DeliverContext, testOf } from '@tributary/connector-kit'
import { ask, textsOf } from '../../wire/mysql/ask.ts'
import { useSession } from './session.ts'
import type { MysqlSettings } from './settings.ts'
import { statementMs } from './tables.ts'

/** Connects, and names the server and the user. Changes nothing. */
export const testConnection = (context: DeliverContext<MysqlSettings>): Promise<ConnectionTest> =>
  testOf(() =>
    useSession(context, async ({ guarded }) => {
      const { rows } = await ask(guarded, 'select version(), current_user()', statementMs)
      const [version = '', account = ''] = textsOf(rows[0] ?? [])
      const server = version?.includes('MariaDB') === true ? 'MariaDB' : 'MySQL'
      return { ok: true, message: `Connected to ${server} ${version?.split('-')[0] ?? ''} as ${account ?? ''}.` }
    }),
  )
