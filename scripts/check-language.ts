// Counts violations of plain language in texts for developers: comments, log lines, test titles, exported names,
// records and commit subjects. Part of `npm run check`: the count of a folder may only fall, and a commit subject must
// follow all rules. `node scripts/check-language.ts --list packages/kernel` prints each finding of a folder, `--write`
// records lower counts.

import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { findInSubject, findProblems } from './language/findings.ts'
import { textsOfCode, textsOfRecord } from './language/texts.ts'

const countsFile = 'scripts/language/counts.json'
const recorded = JSON.parse(readFileSync(countsFile, 'utf8')) as {
  /** Commit ID. The rules apply to the subjects of later commits. */
  subjectsAfter: string
  /** Number of findings by folder. */
  counts: Record<string, number>
}

const code = globSync('{apps,packages,bench,connectors,e2e,scripts}/**/*.{ts,tsx,mjs}', {
  exclude: (path) => /(?:^|\/)(?:node_modules|dist|generated)(?:\/|$)/.test(path) || path.endsWith('.d.ts'),
})
const records = globSync(['docs/{adr,design}/*.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])

/** Returns the package of a file, or the top folder if it has no packages. */
const folderOf = (file: string): string => {
  const [top = '', second = '', third] = file.split('/')
  if (third !== undefined && (top === 'apps' || top === 'packages')) return `${top}/${second}`
  return file.endsWith('.md') ? 'records' : top
}

type Located = { file: string; line: number; words: string; rule: string }
const byFolder = new Map<string, Located[]>()
for (const file of [...code, ...records].toSorted()) {
  const source = readFileSync(file, 'utf8')
  const texts = file.endsWith('.md') ? textsOfRecord(source) : textsOfCode(file, source)
  const folder = folderOf(file)
  const located = byFolder.get(folder) ?? []
  byFolder.set(folder, located)
  for (const text of texts) for (const finding of findProblems(text)) located.push({ file, ...finding })
}

const print = ({ file, line, words, rule }: Located): void => console.log(`${file}:${line}: ${rule}: ${words}`)

const [option, folder] = process.argv.slice(2)

/** Compares the counts with the recorded counts, and checks the subjects of commits. */
const compare = (): void => {
  let failed = false
  const counts: Record<string, number> = {}
  for (const [name, located] of byFolder) {
    const allowed = recorded.counts[name] ?? 0
    if (located.length > 0) counts[name] = Math.min(located.length, allowed)
    if (located.length === allowed) continue
    if (located.length < allowed) {
      if (option === '--write') continue
      console.log(`${name} has ${located.length} findings of ${allowed}: run node scripts/check-language.ts --write`)
    } else {
      console.log(`${name} has ${located.length} findings, and may have ${allowed}:`)
      console.log(`  node scripts/check-language.ts --list ${name}`)
      // Prints no list that is too long to read.
      if (located.length <= 50) located.forEach(print)
    }
    failed = true
  }
  if (option === '--write') writeFileSync(countsFile, `${JSON.stringify({ ...recorded, counts }, null, 2)}\n`)

  const log = spawnSync('git', ['log', '--no-merges', '--format=%s', `${recorded.subjectsAfter}..HEAD`], {
    encoding: 'utf8',
  })
  if (log.status !== 0) console.log('The subjects of commits are not checked: there is no history here.')
  else
    for (const subject of log.stdout.split('\n').filter((line) => line !== ''))
      for (const { rule } of findInSubject(subject)) {
        console.log(`commit subject: ${rule}: ${subject}`)
        failed = true
      }

  const total = [...byFolder.values()].reduce((sum, { length }) => sum + length, 0)
  console.log(`${total} findings in ${code.length + records.length} files`)
  process.exitCode = failed ? 1 : 0
}

if (option === '--list') {
  const listed = byFolder.get(folder ?? '')
  if (listed === undefined) console.log(`There are: ${[...byFolder.keys()].join(', ')}`)
  for (const each of listed ?? []) print(each)
} else compare()
