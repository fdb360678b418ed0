// A process that begins and commits ranges until it is killed, and prints what is durable, for tests. Arguments:
// journal file, first offset.
import { writeSync } from 'node:fs'
import { openJournal } from '../file-journal/journal.ts'
import { idOf } from './load-body.ts'

const [file = '', first = '0'] = process.argv.slice(2)
const journal = openJournal({ file, bucketIds: 1000 })
for (let from = Number(first); ; from += 10) {
  const ids = Array.from({ length: 10 }, (_, i) => ({ hash: idOf(from + i), partition: 0, offset: from + i, index: i }))
  journal.begin([{ partition: 0, from, to: from + 10, token: `t${from}` }], ids, 0)
  writeSync(1, `begun ${from}\n`)
  journal.commit(new Map([[0, from + 10]]))
  writeSync(1, `committed ${from + 10}\n`)
}
