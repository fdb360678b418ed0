import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const version = '3.9.1'
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
/** Cache folder of the downloaded jars. */
const kept = join(cache, 'tributary', `kafka-${version}`)

const program = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)

/** The Java program that runs Kafka; undefined if none is installed. */
export const java = program('java')

/** Ends a program when its parent ends, even by SIGKILL; not every Linux has it. */
export const endsWithParent = program('setpriv')

/** What this machine lacks for tests against a real Kafka; undefined if they can run. */
export const missingForKafka =
  java === undefined
    ? 'a Java (default-jre-headless)'
    : existsSync(kept) || program('mvn') !== undefined
      ? undefined
      : `Kafka's jars in ${kept}, or maven to fetch them`

/** True if tests against a real Kafka must run: in the project's checks, a skipped test is a failure. */
const isRequired = Boolean(process.env.CI)

const pom = (dependencies: readonly [string, string, string][]): string => `<project>
<modelVersion>4.0.0</modelVersion><groupId>tributary</groupId><artifactId>kafka</artifactId><version>1</version>
<packaging>pom</packaging><dependencies>${dependencies
  .map(
    ([group, artifact, its]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${its}</version></dependency>`,
  )
  .join('')}</dependencies></project>`

/** The folder of Kafka's jars, downloaded from Maven Central on first use (46 MB). */
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
    // Another process may have downloaded the jars meanwhile, so they are copied under an own name first.
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
 * True if tests against a real Kafka are skipped, because the machine has no Java, or Kafka's jars are neither cached
 * nor downloadable. Prints the reason. Never skips if `CI` is set: the tests fail instead.
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
