import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type GuideProgram,
  guideCode,
  guideFolder,
  type Installed,
  install,
  runGuide,
  writeGuideFile,
} from '../guides/guide.ts'

type Values = { origin: string; writeKey: string }

/** Follows the set-up pages of a language: installs the packages, and makes a program of the code of a page. */
export type Language = {
  install(slug: string): Installed
  run(slug: string, values: Values): GuideProgram
}

/** Installs Python packages in their own folder; returns why the installation is not possible. */
export const installPython = (folder: string, packages: readonly string[]): Installed => {
  if (existsSync(join(folder, 'lib'))) return {}
  const asked = install('python3', ['-m', 'pip', 'install', '--quiet', '--target', 'lib.new', ...packages], folder)
  if (asked.missing !== undefined) return asked
  cpSync(join(folder, 'lib.new'), join(folder, 'lib'), { recursive: true })
  rmSync(join(folder, 'lib.new'), { recursive: true })
  return {}
}

/** Runs a Python program with the packages of its folder. */
export const runPython = (folder: string, code: string, env: Record<string, string> = {}): GuideProgram =>
  runGuide('python3', [writeGuideFile(folder, 'guide.py', code)], folder, { PYTHONPATH: join(folder, 'lib'), ...env })

const nowhere: Values = { origin: 'http://127.0.0.1:1', writeKey: 'key' }

const python: Language = {
  install(slug) {
    const named = guideCode(slug, 'shell', nowhere).replace(/^pip install /, '')
    return installPython(guideFolder(slug), named.split(/\s+/))
  },
  run: (slug, values) => runPython(guideFolder(slug), guideCode(slug, 'python', values)),
}

const go: Language = {
  install(slug) {
    const folder = guideFolder(slug)
    if (existsSync(join(folder, 'go.sum'))) return {}
    rmSync(join(folder, 'go.mod'), { force: true })
    const made = install('go', ['mod', 'init', 'example.com/shop'], folder)
    return made.missing === undefined
      ? install('go', guideCode(slug, 'shell', nowhere).split(/\s+/).slice(1), folder)
      : made
  },
  run(slug, values) {
    const folder = guideFolder(slug)
    writeGuideFile(folder, 'main.go', guideCode(slug, 'go', values))
    return runGuide('go', ['run', '.'], folder, { GOFLAGS: '-mod=mod' })
  },
}

const java: Language = {
  install(slug) {
    const folder = guideFolder(slug)
    if (existsSync(join(folder, 'lib'))) return {}
    writeGuideFile(
      folder,
      'pom.xml',
      `<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId><artifactId>shop</artifactId><version>1</version><dependencies>${guideCode(slug, 'xml', nowhere)}</dependencies></project>`,
    )
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
    return install('mvn', ['-q', '-B', copy, '-DoutputDirectory=lib'], folder)
  },
  run(slug, values) {
    const folder = guideFolder(slug)
    const lines = guideCode(slug, 'java', values).split('\n')
    const isImport = (line: string): boolean => line.startsWith('import ')
    const statements = lines.filter((line) => !isImport(line)).join('\n')
    const program = `${lines.filter(isImport).join('\n')}\nclass Shop { public static void main(String[] args) throws Exception {\n${statements}\n} }\n`
    return runGuide('java', ['-cp', 'lib/*', writeGuideFile(folder, 'Shop.java', program)], folder)
  },
}

export const languages = { python, go, java } as const
