/** Starts what consists of parts: when a step fails, what was started is stopped again, last things first, and the error is thrown. */
export const assembled = async <Whole>(assemble: (stack: AsyncDisposableStack) => Promise<Whole>): Promise<Whole> => {
  const stack = new AsyncDisposableStack()
  try {
    return await assemble(stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
