import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const version = '3.9.1'
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
/** Folder of the jars after they were fetched. */
const kept = join(cache, 'tributary', `kafka-${version}`)

const program = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)

/** Java, which runs Kafka; undefined where none is installed. */
export const java = program('java')

/** Ends what it runs when its parent is gone, even by SIGKILL; not every Linux has it. */
export const endsWithParent = program('setpriv')

/** Returns what this machine lacks for tests against a real Kafka; undefined where they can run. */
export const missingForKafka =
  java === undefined
    ? 'a Java (default-jre-headless)'
    : existsSync(kept) || program('mvn') !== undefined
      ? undefined
      : `Kafka's jars in ${kept}, or maven to fetch them`

/** True where tests against a real Kafka have to run: where the project's checks run a skipped one is a failure. */
const isRequired = Boolean(process.env.CI)

const pom = (dependencies: readonly [string, string, string][]): string => `<project>
<modelVersion>4.0.0</modelVersion><groupId>tributary</groupId><artifactId>kafka</artifactId><version>1</version>
<packaging>pom</packaging><dependencies>${dependencies
  .map(
    ([group, artifact, its]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${its}</version></dependency>`,
  )
  .join('')}</dependencies></project>`

/** The folder of Kafka's jars, from Maven Central when it is first asked for (46 MB). */
export const kafkaJars = (): string => {
  if (existsSync(kept)) return kept
  const maven = program('mvn')
  if (maven === undefined) throw new Error(`This machine misses ${missingForKafka ?? 'maven'}`)
  const folder = mkdtempSync(join(tmpdir(), 'tributary-kafka-jars-'))
  try {
    writeFileSync(
      join(folder, 'pom.xml'),
      pom([
        ['org.apache.kafka', 'kafka_2.13', version],
        ['org.slf4j', 'slf4j-simple', '1.7.36'],
      ]),
    )
    const fetched = spawnSync(maven, ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (fetched.status !== 0) throw new Error(`Kafka's jars could not be fetched: ${fetched.stdout}${fetched.stderr}`)
    mkdirSync(join(cache, 'tributary'), { recursive: true })
    // Another process may have been quicker.
    const own = `${kept}.${process.pid}`
    spawnSync('cp', ['-r', join(folder, 'jars'), own])
    if (existsSync(kept)) rmSync(own, { recursive: true })
    else renameSync(own, kept)
    return kept
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * True where tests against a real Kafka are skipped, since the machine has no Java, or Kafka's jars are neither here nor to be had. It says
 * so in a line. Never where `CI` is set: there they fail.
 */
export const skipsKafka = (): boolean => {
  if (isRequired) return false
  try {
    if (missingForKafka !== undefined) throw new Error(`This machine misses ${missingForKafka}`)
    kafkaJars()
    return false
  } catch (error) {
    process.stderr.write(
      `Tests against a real Kafka do not run: ${error instanceof Error ? error.message : String(error)}\n`,
    )
    return true
  }
}
