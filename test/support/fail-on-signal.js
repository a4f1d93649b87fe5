/** Loaded before the service in a test: makes it fail on a signal as it never should by itself. */
const failures = {
  rejection: () => void Promise.reject(new Error('an unhandled rejection of the test')),
  exception: () =>
    setImmediate(() => {
      throw new Error('an uncaught exception of the test')
    }),
  text: () => void Promise.reject('an unhandled text of the test'),
}
const [failure, atExit] = (process.env.TEST_FAILURE ?? '').split(',')

process.on('SIGUSR2', failures[failure])
// As native code that waits for threads of its own.
if (atExit === 'hang') process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
