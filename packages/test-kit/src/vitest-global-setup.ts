/** Starts what all test files share. */
export default async function setup(): Promise<() => Promise<void>> {
  return async () => {}
}
