// One verifier of npm in its own process, on the addresses of test/lab: sends what it says of each, true, false or null.
import dns from 'node:dns';

const { verifier, emails, nameServer, sender, ehloName } = JSON.parse(process.argv[2]);
const resolver = new dns.Resolver();
resolver.setServers([nameServer]);
dns.setServers([nameServer]);
// The names of the lab exist on its name server only, so connections are dialled by it, too.
dns.lookup = (host, options, callback = options) =>
  resolver.resolve4(host, (error, [address] = []) => {
    if (error) callback(error);
    else if (options.all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  });

const verifiers = {
  'deep-email-validator': async () => {
    const { validate } = await import('deep-email-validator');
    // Its list of typos would reject names of the lab before their servers are asked.
    return async (email) => (await validate({ email, sender, validateTypo: false })).valid;
  },
  'email-verify': async () => {
    const { default: verifier } = await import('email-verify');
    const options = { sender, fqdn: ehloName, timeout: 10_000 };
    return (email) =>
      new Promise((resolve) =>
        verifier.verify(email, { ...options }, (error, info) => resolve(error && !info ? null : info.success)),
      );
  },
  'email-deep-validator': async () => {
    const { default: EmailValidator } = await import('email-deep-validator');
    const validator = new EmailValidator({ timeout: 10_000 });
    return async (email) => {
      const { wellFormed, validDomain, validMailbox } = await validator.verify(email);
      return wellFormed && validDomain ? validMailbox : false;
    };
  },
};

const check = await verifiers[verifier]();
process.on('uncaughtException', () => undefined);
const withDeadline = (answer) =>
  Promise.race([answer.catch(() => null), new Promise((resolve) => setTimeout(resolve, 30_000, null))]);
const answers = {};
// One address of a domain at a time, as a host with limits wants it.
const queues = new Map();
for (const email of emails) {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const ask = async () => {
    answers[email] = (await withDeadline(check(email))) ?? null;
  };
  queues.set(domain, (queues.get(domain) ?? Promise.resolve()).then(ask));
}
await Promise.all(queues.values());
process.send(answers, () => process.exit());
