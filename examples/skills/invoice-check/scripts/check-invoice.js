#!/usr/bin/env node
'use strict';
// Checks an invoice given as JSON and prints the decision with all findings. Standard library only (Node.js 18+).
//
//   node check-invoice.js invoice.json        "-" reads standard input
//
// Input: { "invoice": {…}, "context": {…} } as in references/fields.md.
// Exit code 0: approve; 1: review, return or hold; 2: the input cannot be used.
//
// In n8n: paste the part from "const VAT_ID" up to "Command line" into a Code node (JavaScript, run once for all items) and add
//   return $input.all().map(({ json }) => ({ json: checkInvoice(json.invoice, json.context) }));

const VAT_ID = {
	AT: /^ATU\d{8}$/,
	BE: /^BE[01]\d{9}$/,
	BG: /^BG\d{9,10}$/,
	CY: /^CY\d{8}[A-Z]$/,
	CZ: /^CZ\d{8,10}$/,
	DE: /^DE\d{9}$/,
	DK: /^DK\d{8}$/,
	EE: /^EE\d{9}$/,
	EL: /^EL\d{9}$/,
	ES: /^ES[A-Z0-9]\d{7}[A-Z0-9]$/,
	FI: /^FI\d{8}$/,
	FR: /^FR[A-Z0-9]{2}\d{9}$/,
	GB: /^GB(\d{9}|\d{12}|(GD|HA)\d{3})$/,
	HR: /^HR\d{11}$/,
	HU: /^HU\d{8}$/,
	IE: /^IE(\d{7}[A-Z]{1,2}|\d[A-Z+*]\d{5}[A-Z])$/,
	IT: /^IT\d{11}$/,
	LT: /^LT(\d{9}|\d{12})$/,
	LU: /^LU\d{8}$/,
	LV: /^LV\d{11}$/,
	MT: /^MT\d{8}$/,
	NL: /^NL[A-Z0-9+*]{9}B\d{2}$/,
	PL: /^PL\d{10}$/,
	PT: /^PT\d{9}$/,
	RO: /^RO\d{2,10}$/,
	SE: /^SE\d{12}$/,
	SI: /^SI\d{8}$/,
	SK: /^SK\d{10}$/,
	XI: /^XI(\d{9}|\d{12})$/,
	CH: /^CHE\d{9}(MWST|TVA|IVA)?$/,
};
const REQUIRED = ['number', 'issueDate', 'currency', 'supplier.name', 'buyer.name', 'lines', 'net', 'tax', 'gross'];
const DECISIONS = ['hold', 'return', 'review'];
const DAY = 86_400_000;

const compact = (text) => String(text ?? '').toUpperCase().replace(/[\s.\-/]/g, '');

function at(object, path) {
	return path.split('.').reduce((value, key) => value?.[key], object);
}

function toNumber(value) {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** Amount in cents, halves away from zero; undefined when it is not a number. */
function toCents(value) {
	const number = toNumber(value);
	if (number === undefined) return undefined;
	return Math.sign(number) * Math.round(Number((Math.abs(number) * 100).toFixed(6)));
}

function toDay(text) {
	if (!/^\d{4}-\d{2}-\d{2}$/.test(text ?? '')) return undefined;
	const time = Date.parse(`${text}T00:00:00Z`);
	const real = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
	return real ? time / DAY : undefined;
}

function ibanIsValid(text) {
	const iban = compact(text);
	if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
	const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (c) => String(c.charCodeAt(0) - 55));
	let rest = 0;
	for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
	return rest === 1;
}

const money = (cents) => (cents / 100).toFixed(2);

function checkFields(invoice, add) {
	for (const path of REQUIRED) {
		const value = at(invoice, path);
		if (value === undefined || value === null || value === '' || value.length === 0) {
			add('return', 'missing-field', `${path} is missing`);
		}
	}
	for (const path of ['net', 'tax', 'gross']) {
		const value = invoice[path];
		if (value !== undefined && value !== null && toCents(value) === undefined) {
			add('review', 'unreadable-amount', `${path} is not a plain number: ${value}`);
		}
	}
	if (invoice.currency && !/^[A-Z]{3}$/.test(invoice.currency)) {
		add('review', 'currency', `currency is not an ISO code: ${invoice.currency}`);
	}
}

function checkDates(invoice, context, add) {
	const issued = toDay(invoice.issueDate);
	const due = toDay(invoice.dueDate);
	const today = toDay(context.today);
	if (invoice.issueDate && issued === undefined) add('review', 'date', `issueDate is not a date: ${invoice.issueDate}`);
	if (invoice.dueDate && due === undefined) add('review', 'date', `dueDate is not a date: ${invoice.dueDate}`);
	if (issued === undefined) return;
	if (today === undefined) add('note', 'date-unchecked', 'the date of today is not known');
	if (due < issued) add('review', 'due-before-issue', 'due date lies before the issue date');
	if (issued > today) add('review', 'future-date', 'issue date lies in the future');
	if (today - issued > 365) add('review', 'old-invoice', 'issued more than a year ago');
}

function checkSums(invoice, add) {
	const lines = Array.isArray(invoice.lines) ? invoice.lines : [];
	const taxByRate = new Map();
	let sum = 0;
	let readable = lines.length > 0;
	lines.forEach((line, index) => {
		const label = `line ${index + 1}`;
		const net = toCents(line.net);
		const [quantity, unitPrice, rate] = [line.quantity, line.unitPrice, line.taxRate].map(toNumber);
		if (net === undefined || rate === undefined) {
			readable = false;
			add('review', 'unreadable-amount', `${label}: net or taxRate is not a plain number`);
			return;
		}
		sum += net;
		taxByRate.set(rate, (taxByRate.get(rate) ?? 0) + net);
		if (quantity === undefined || unitPrice === undefined) return;
		const expected = toCents(quantity * unitPrice);
		if (Math.abs(expected - net) > 1) {
			add('return', 'line-sum', `${label}: quantity x price is ${money(expected)}, stated ${money(net)}`);
		}
	});
	const [net, tax, gross] = [invoice.net, invoice.tax, invoice.gross].map(toCents);
	if ([net, tax, gross].includes(undefined)) return;
	if (readable && Math.abs(sum - net) > 1) {
		add('return', 'net-sum', `lines add up to ${money(sum)}, stated net ${money(net)}`);
	}
	const expectedTax = [...taxByRate].reduce((total, [rate, part]) => total + toCents((part * rate) / 10_000), 0);
	// Rounding tax on each line instead of on the total may cost one cent a line.
	if (readable && Math.abs(expectedTax - tax) > lines.length) {
		add('return', 'tax-sum', `tax should be ${money(expectedTax)}, stated ${money(tax)}`);
	}
	if (net + tax !== gross) {
		add('return', 'gross-sum', `net + tax is ${money(net + tax)}, stated gross ${money(gross)}`);
	}
	if (gross < 0 && invoice.type !== 'credit-note') {
		add('review', 'negative', 'negative total, but not marked as a credit note');
	}
}

function checkSupplier(invoice, context, add) {
	const { iban, vatId } = invoice.supplier ?? {};
	const known = context.supplierRecord;
	if (iban && !ibanIsValid(iban)) add('hold', 'iban-invalid', 'IBAN fails its checksum');
	if (iban && known?.iban && compact(iban) !== compact(known.iban)) {
		add('hold', 'iban-changed', 'IBAN differs from the supplier record: call the supplier on a known number');
	}
	if (!known) add('review', 'new-supplier', 'supplier is not on record');
	if (!vatId) return;
	const id = compact(vatId);
	const format = VAT_ID[id.slice(0, 2)];
	if (!format) add('note', 'vat-id-unchecked', `no format known for ${id.slice(0, 2)}`);
	else if (!format.test(id)) add('review', 'vat-id-format', `VAT ID does not have the format of ${id.slice(0, 2)}`);
}

function checkHistory(invoice, context, add) {
	const supplier = String(invoice.supplier?.name ?? '').trim().toLowerCase();
	if (!context.knownInvoices) add('review', 'duplicate-unchecked', 'no booked invoices to compare with');
	for (const known of context.knownInvoices ?? []) {
		if (String(known.supplier ?? '').trim().toLowerCase() !== supplier) continue;
		if (compact(known.number) === compact(invoice.number)) {
			add('return', 'duplicate', `number ${invoice.number} of this supplier was booked before`);
		} else if (toCents(known.gross) === toCents(invoice.gross) && known.issueDate === invoice.issueDate) {
			add('review', 'possible-duplicate', `same date and total as ${known.number}`);
		}
	}
}

function checkOrder(invoice, context, add) {
	const order = context.purchaseOrder;
	if (!order) {
		if (context.orderRequired) add('return', 'order-missing', 'no purchase order found for this invoice');
		return;
	}
	if (compact(invoice.orderNumber) !== compact(order.number)) {
		add('review', 'order-mismatch', `order on the invoice is ${invoice.orderNumber || 'missing'}, expected ${order.number}`);
	}
	if (order.currency && order.currency !== invoice.currency) {
		add('review', 'order-currency', `order is in ${order.currency}, invoice in ${invoice.currency}`);
		return;
	}
	const [open, net] = [toCents(order.openNet), toCents(invoice.net)];
	if (open === undefined || net === undefined) return;
	// 2 % of the order, but at most 50.00.
	if (net - open > Math.min(Math.round(open * 0.02), 5_000)) {
		add('review', 'order-exceeded', `net ${money(net)} exceeds the open ${money(open)} of the order`);
	}
}

/** Decision and findings for one invoice; the worst finding decides. */
function checkInvoice(invoiceGiven, contextGiven) {
	const invoice = invoiceGiven ?? {};
	const context = contextGiven ?? {};
	const findings = [];
	const add = (severity, code, detail) => findings.push({ severity, code, detail });
	checkFields(invoice, add);
	checkDates(invoice, context, add);
	checkSums(invoice, add);
	checkSupplier(invoice, context, add);
	checkHistory(invoice, context, add);
	checkOrder(invoice, context, add);
	const decision = DECISIONS.find((name) => findings.some(({ severity }) => severity === name));
	return { invoice: invoice.number ?? null, decision: decision ?? 'approve', findings };
}

// ---------------------------------------------------------------- Command line

function main([file]) {
	if (!file) throw new Error('usage: check-invoice.js invoice.json');
	const input = JSON.parse(require('node:fs').readFileSync(file === '-' ? 0 : file, 'utf8'));
	if (typeof input?.invoice !== 'object' || input.invoice === null) throw new Error('no "invoice" in the input');
	const result = checkInvoice(input.invoice, input.context);
	console.log(JSON.stringify(result, null, 2));
	process.exitCode = result.decision === 'approve' ? 0 : 1;
}

if (require.main === module) {
	try {
		main(process.argv.slice(2));
	} catch (error) {
		console.error(`check-invoice: ${error.message}`);
		process.exitCode = 2;
	}
}

module.exports = { checkInvoice, ibanIsValid };
